// The normal form of each text from stdin; texts end with a NUL there and in the output.
#include <iostream>
#include <string>

#include "metric/squad.h"

int main() {
  for (std::string text; std::getline(std::cin, text, '\0');)
    std::cout << bert::metric::normalized_answer(text) << '\0';
}
