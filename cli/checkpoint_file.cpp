// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoint_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "harness/report/digest.hpp"
#include "harness/scenario/input_error.hpp"

namespace lockproof::cli {

void write_checkpoint(const std::string& path, const sim::CheckpointOf& of, const sim::WriteCheckpoint& write) {
  const std::filesystem::path target(path), part(path + ".part");
  std::error_code failed;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), failed);
  try {
    {
      std::ofstream file(part, std::ios::binary | std::ios::trunc);
      sim::CheckpointOut out(
          [&](std::string_view bytes) {
            file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            return file.good();
          },
          of);
      write(out);
      out.finish();
      if (!file.flush()) throw sim::CheckpointError("the checkpoint could not be written");
    }
    std::filesystem::rename(part, target, failed);
    if (failed) throw sim::CheckpointError("the checkpoint could not be written");
  } catch (const sim::CheckpointError& e) {
    std::filesystem::remove(part, failed);
    throw sim::CheckpointError(fmt::format("{}: {}", path, e.what()));
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
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string build_of_lockproof() { return harness::digest(text_of("/proc/self/exe")); }

}  // namespace lockproof::cli
