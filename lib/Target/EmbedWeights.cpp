//===- EmbedWeights.cpp - objects with their weights ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM makes an object in memory, where weights may have no room. So the code only declares their
// symbol, and this adds what defines it to the object's file: a section behind what is there, its
// bytes written as those of a weights file are, and a new table of sections behind them.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/TargetBackend.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;
using namespace weft;

using ELFFile = object::ELFFile<object::ELF64LE>;
using Header = object::ELF64LE::Ehdr;
using Section = object::ELF64LE::Shdr;
using Symbol = object::ELF64LE::Sym;

static constexpr StringLiteral sectionName = ".lrodata.weights";
/// Of the section: what maps of files have.
static constexpr uint64_t page = 4096;

std::string weft::embeddedWeightsName(StringRef name) { return (name + ".weights").str(); }

namespace {

/// An object in memory whose parts are changed in place.
class ObjectWriter {
public:
  ObjectWriter(StringRef object, const EmbeddedWeights &weights)
      : bytes(object.begin(), object.end()), weights(weights) {}

  Error read();
  Error write(raw_ostream &os);

private:
  Header &header() { return *reinterpret_cast<Header *>(bytes.data()); }
  Error defineSymbol(const ELFFile &file, const Section &table);
  void addSections(uint64_t begin, uint64_t end);

  std::vector<char> bytes;
  const EmbeddedWeights &weights;
  std::vector<Section> sections;
  std::string names; ///< of the sections
};

} // namespace

static Error noSymbol(StringRef name) {
  return createStringError("the object does not name its weights, '" + name + "'");
}

/// The undefined symbol becomes the first byte of the section behind all others.
Error ObjectWriter::defineSymbol(const ELFFile &file, const Section &table) {
  Expected<StringRef> strings = file.getStringTableForSymtab(table);
  Expected<ArrayRef<Symbol>> symbols = file.symbols(&table);
  if (!strings || !symbols)
    return joinErrors(strings.takeError(), symbols.takeError());
  for (const Symbol &symbol : *symbols) {
    Expected<StringRef> name = symbol.getName(*strings);
    if (!name)
      return name.takeError();
    if (*name != weights.symbol)
      continue;
    auto &changed = const_cast<Symbol &>(symbol); // in `bytes`
    changed.st_shndx = uint16_t(sections.size());
    changed.st_value = 0;
    changed.st_size = weights.bytes;
    changed.setType(ELF::STT_OBJECT);
    return Error::success();
  }
  return noSymbol(weights.symbol);
}

Error ObjectWriter::read() {
  Expected<ELFFile> file = ELFFile::create(StringRef(bytes.data(), bytes.size()));
  if (!file)
    return file.takeError();
  Expected<ArrayRef<Section>> found = file->sections();
  if (!found)
    return found.takeError();
  Expected<StringRef> strings = file->getSectionStringTable(*found);
  if (!strings)
    return strings.takeError();
  sections.assign(found->begin(), found->end());
  uint64_t pieces = weights.pieceBytes > 0 ? weights.bytes / weights.pieceBytes : 0;
  if (sections.size() + pieces + 2 >= ELF::SHN_LORESERVE)
    return createStringError("the object has too many sections for its weights");
  names = (*strings + sectionName + StringRef("\0.shstrtab\0", 11)).str();
  for (const Section &section : *found)
    if (section.sh_type == ELF::SHT_SYMTAB)
      return defineSymbol(*file, section);
  return noSymbol(weights.symbol);
}

/// One section, or several that lie one after another wherever they are linked: they are whole
/// pages, and sections of one name and file stay in their order.
void ObjectWriter::addSections(uint64_t begin, uint64_t end) {
  Section section = {};
  section.sh_name = uint32_t(names.rfind(sectionName.str()));
  section.sh_type = ELF::SHT_PROGBITS;
  section.sh_flags = ELF::SHF_ALLOC;
  if (header().e_machine == ELF::EM_X86_64)
    section.sh_flags = ELF::SHF_ALLOC | ELF::SHF_X86_64_LARGE;
  section.sh_addralign = page;
  uint64_t most = weights.pieceBytes > 0 ? weights.pieceBytes : weights.bytes;
  for (; begin < end; begin += section.sh_size) {
    section.sh_offset = begin;
    section.sh_size = std::min(most, end - begin);
    sections.push_back(section);
  }
}

Error ObjectWriter::write(raw_ostream &os) {
  Section strings = {};
  strings.sh_type = ELF::SHT_STRTAB;
  strings.sh_addralign = 1;
  strings.sh_name = uint32_t(names.rfind(".shstrtab"));
  strings.sh_size = names.size();
  strings.sh_offset = bytes.size();
  uint64_t begin = alignTo(bytes.size() + names.size(), page), end = begin + weights.bytes;
  addSections(begin, end);
  sections.push_back(strings);

  uint64_t table = alignTo(end, alignof(uint64_t));
  header().e_shoff = table;
  header().e_shnum = uint16_t(sections.size());
  header().e_shstrndx = uint16_t(sections.size() - 1);
  os.write(bytes.data(), bytes.size());
  os << names;
  os.write_zeros(unsigned(begin - bytes.size() - names.size()));
  if (Error error = weights.write(os))
    return error;
  os.write_zeros(unsigned(table - end));
  os.write(reinterpret_cast<const char *>(sections.data()), sections.size() * sizeof(Section));
  return Error::success();
}

Error weft::writeWithWeights(StringRef object, const EmbeddedWeights &weights, raw_ostream &os) {
  ObjectWriter writer(object, weights);
  if (Error error = writer.read())
    return error;
  return writer.write(os);
}

Error weft::emitObject(llvm::Module &module, const TargetBackend &target, const CodeOptions &code,
                       const EmbeddedWeights &weights, raw_ostream &os) {
  if (weights.bytes == 0)
    return target.emit(module, code, FileKind::Object, os);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  if (Error error = target.emit(module, code, FileKind::Object, stream))
    return error;
  return writeWithWeights(StringRef(bytes.data(), bytes.size()), weights, os);
}
