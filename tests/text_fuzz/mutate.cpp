// SPDX-License-Identifier: MIT OR Apache-2.0

/// A driver for the fuzz target where libFuzzer is not at hand: `fuzz_wgsl COUNT SEED FILE…` feeds
/// the target every file and COUNT damaged copies of them, the same ones for the same seed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Mutator {
 public:
  Mutator(std::uint32_t seed, const std::vector<std::string>& texts)
      : random_(seed), texts_(texts) {}

  std::string damaged() {
    std::string text = any();
    for (std::size_t i = 0; i <= below(3); ++i)
      step(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  const std::string& any() { return texts_[below(texts_.size())]; }

  std::string piece(const std::string& text, std::size_t length) {
    return text.substr(below(text.size() + 1), length);
  }

  void step(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(24);
    switch (below(7)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, piece(text, length)); break;
      case 2: text.insert(at, kWords[below(std::size(kWords))]); break;
      case 3: text.resize(at); break;
      case 4: text.insert(at, std::string(1 + below(300), "(<[{-&*"[below(7)])); break;
      case 5: text.insert(at, piece(any(), 4 * length)); break;
      case 6:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
    }
  }

  static constexpr const char* kWords[] = {" 4294967296 ",
                                           " -2147483648i ",
                                           "0x1p-200",
                                           "1e400",
                                           "vec4<f32>",
                                           "@align(3)",
                                           "atomic<",
                                           "override ",
                                           "const_assert ",
                                           "ptr<function,",
                                           "array<array<u32,",
                                           "/*",
                                           "//",
                                           "\xC2\x85",
                                           "\xFF",
                                           "u32(",
                                           "loop { ",
                                           "continuing {",
                                           "switch 1 { default {",
                                           "return;",
                                           ";;",
                                           "->",
                                           "workgroupBarrier();",
                                           "main",
                                           "_",
                                           "for (;;) {",
                                           "% 0",
                                           "<< 32",
                                           "[9999999999]",
                                           ".xyzw"};

  std::mt19937 random_;
  const std::vector<std::string>& texts_;
};

void feed(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::vector<std::string> texts;
  for (int file = 3; file < argc; ++file) {
    texts.push_back(read(argv[file]));
    if (texts.back().empty()) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[file]);
      return 2;
    }
    feed(texts.back());
  }
  Mutator mutator(static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)), texts);
  for (long left = std::atol(argv[1]); left > 0; --left)
    feed(mutator.damaged());
  return 0;
}
