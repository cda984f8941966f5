// Prints the normalized form of each text from stdin. Texts end with a NUL in input and output. With
// --categories, prints instead the general category of each code point from 1 on, according to ICU's Unicode
// version.
#include <unicode/uchar.h>

#include <iostream>
#include <string>

#include "metric/squad.h"

int main(int argc, char**) {
  if (argc > 1) {
    for (UChar32 c = 1; c <= UCHAR_MAX_VALUE; ++c)
      std::cout << u_getPropertyValueName(UCHAR_GENERAL_CATEGORY, u_charType(c), U_SHORT_PROPERTY_NAME)
                << '\0';
    return 0;
  }
  for (std::string text; std::getline(std::cin, text, '\0');)
    std::cout << bert::metric::normalized_answer(text) << '\0';
}
