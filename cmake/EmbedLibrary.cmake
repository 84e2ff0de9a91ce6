# cmake -DOUTPUT=FILE.cpp -DROOT=DIR -DFILES="a.weft models/b.weft" -P EmbedLibrary.cmake
# Writes the texts of the library into a C++ source (see weft/Library/Library.h).
separate_arguments(FILES)
set(code "#include \"weft/Library/Library.h\"\n\n")
string(APPEND code "static const weft::LibraryFile files[] = {\n")
foreach(name IN LISTS FILES)
  file(READ "${ROOT}/${name}" text)
  string(APPEND code "    {\"${name}\", R\"weft(${text})weft\"},\n")
endforeach()
string(APPEND code "};\n\nllvm::ArrayRef<weft::LibraryFile> weft::libraryFiles() { return files; }\n")
file(WRITE "${OUTPUT}" "${code}")
