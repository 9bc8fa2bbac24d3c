// SPDX-License-Identifier: Apache-2.0
#include "programs/executable.hpp"

#include <elf.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

namespace lockproof::programs {
namespace {

constexpr std::size_t first_line_most = 256;                                          // as in Linux: BINPRM_BUF_SIZE
constexpr std::array go_sections{".note.go.buildid", ".go.buildinfo", ".go_export"};  // the last: gccgo

/// The parts of a 64-bit ELF file. A file that ends too early has what could be read.
class Elf {
 public:
  explicit Elf(std::ifstream& file) : file_(file) {
    const auto header = read_at<Elf64_Ehdr>(0);
    const bool is_elf =
        header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64;
    if (is_elf) header_ = header;
  }
  [[nodiscard]] bool is_one() const { return header_.has_value(); }
  [[nodiscard]] bool is_of_x86_64() const { return header_->e_machine == EM_X86_64; }

  /// The dynamic linker that it asks for; empty: none, it is linked statically.
  [[nodiscard]] std::string linker() {
    for (std::size_t i = 0; i < header_->e_phnum; ++i) {
      const auto part = read_at<Elf64_Phdr>(header_->e_phoff + i * sizeof(Elf64_Phdr));
      if (part && part->p_type == PT_INTERP) return text_at(part->p_offset, part->p_filesz);
    }
    return {};
  }

  [[nodiscard]] bool has_section(std::string_view wanted) {
    const auto section = [&](std::size_t i) { return read_at<Elf64_Shdr>(header_->e_shoff + i * sizeof(Elf64_Shdr)); };
    const auto names = section(header_->e_shstrndx);
    for (std::size_t i = 0; names && i < header_->e_shnum; ++i) {
      const auto one = section(i);
      if (one && text_at(names->sh_offset + one->sh_name, wanted.size() + 1) == wanted) return true;
    }
    return false;
  }

 private:
  template <class Part>
  [[nodiscard]] std::optional<Part> read_at(std::uint64_t offset) {
    Part part{};
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    if (!file_.read(reinterpret_cast<char*>(&part), sizeof part)) return std::nullopt;
    return part;
  }
  /// Up to its NUL.
  [[nodiscard]] std::string text_at(std::uint64_t offset, std::size_t most) {
    if (most > first_line_most) return {};
    std::string text(most, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(text.data(), static_cast<std::streamsize>(most));
    return text.c_str();
  }

  std::ifstream& file_;
  std::optional<Elf64_Ehdr> header_;
};

/// The interpreter that a script names in its first line; empty: it is no script.
std::string interpreter_of(std::ifstream& file) {
  std::string line(first_line_most, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (!line.starts_with("#!")) return {};
  const std::size_t from = line.find_first_not_of(" \t", 2);
  return from == std::string::npos ? "" : line.substr(from, line.find_first_of(" \t\r\n", from) - from);
}

}  // namespace

std::string why_no_shim(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (const std::string interpreter = interpreter_of(file); !interpreter.empty()) {
    file = std::ifstream(interpreter, std::ios::binary);
  }
  Elf elf(file);
  if (!elf.is_one()) return {};
  if (!elf.is_of_x86_64()) return "is no program for x86-64, and virtual time was tried on no other kind of processor";
  for (const std::string_view section : go_sections) {
    if (elf.has_section(section)) {
      return "is written in Go, whose runtime makes system calls by itself, past the library that would put it into "
             "virtual time";
    }
  }
  const std::string linker = elf.linker();
  if (linker.empty()) {
    return "is linked statically, so the library that would put it into virtual time cannot be loaded into it";
  }
  if (linker.find("musl") != std::string::npos) {
    return "is linked to musl, and the library that would put it into virtual time needs glibc";
  }
  return {};
}

}  // namespace lockproof::programs
