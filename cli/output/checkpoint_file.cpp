// SPDX-License-Identifier: Apache-2.0
#include "cli/output/checkpoint_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "cli/output/output_file.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/digest.hpp"

namespace lockproof::cli {

void write_checkpoint(const std::string& path, const sim::CheckpointOf& of, const sim::WriteCheckpoint& write) {
  try {
    OutputFile file(path);
    const auto put = [&](std::string_view bytes) {
      file.write(bytes);
      return true;  // if it could not, the end says why
    };
    sim::CheckpointOut out(put, of);
    write(out);
    out.finish();
    file.finish();
  } catch (const OutputError& e) {
    throw sim::CheckpointError(e.what());
  }
}

CheckpointFile::CheckpointFile(const std::string& path, const sim::CheckpointOf& of) : file_(path, std::ios::binary) {
  if (!file_ || !std::filesystem::is_regular_file(path))
    throw harness::InputError(path, 0, "there is no such file to go on from");
  try {
    const auto read = [this](std::span<char> into, bool from_begin) {
      if (from_begin) file_.seekg(0);
      return file_.read(into.data(), static_cast<std::streamsize>(into.size())).good();
    };
    in_ = std::make_unique<sim::CheckpointIn>(std::filesystem::file_size(path), read, of);
  } catch (const sim::CheckpointError& e) {
    throw harness::InputError(path, 0, e.what());
  }
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, std::size_t{1} << 16> block{};
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

std::string build_of_lockproof() { return harness::digest(text_of("/proc/self/exe")); }

}  // namespace lockproof::cli
