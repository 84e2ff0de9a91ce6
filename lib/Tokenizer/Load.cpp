#include "weft/Support/InputFile.h"
#include "weft/Tokenizer/Tokenizer.h"
using namespace weft;
llvm::Expected<std::unique_ptr<Tokenizer>> Tokenizer::load(llvm::StringRef path) {
  auto buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return parse((*buffer)->getBuffer(), path);
}
