// Scores the bytes of a text with the compiled model of ../c/tiny.weft.
#include "tiny.h"
#include "weft/Runtime/weft.hpp"

#include <iostream>
#include <string>

int main(int argc, char **argv) try {
  weft::Model model(tiny_info);
  weft::Weights weights(model, "tiny.weights");
  weft::Scratch scratch(model);

  std::string text = argc > 1 ? argv[1] : "";
  std::vector<int32_t> ids;
  for (char c : text)
    ids.push_back(static_cast<unsigned char>(c));

  std::vector<float> scores(3);
  model.entry("scores").call(weights, scratch, {{"ids", ids}}, {{"scores", scores}});
  for (float score : scores)
    std::cout << score << "\n";
} catch (const weft::Error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
