// Eigenvectors of symmetric matrices, in double.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bert::nn {

struct Eigenvectors {
  std::vector<double> values;   // [n], descending
  std::vector<double> vectors;  // [n,n]; row k belongs to values[k] and has unit length
};

// `matrix` is [n,n], of which the lower triangle is read. Reduces it to a tridiagonal matrix by Householder
// reflections and diagonalizes that by QL steps with Wilkinson's shift (Golub and Van Loan, Matrix
// Computations, 4th edition, section 8.3); about 9n³ operations on one thread. The rows of `vectors` have any
// sign, but the same for equal matrices.
Eigenvectors eigenvectors(std::span<const double> matrix, int64_t n);

}  // namespace bert::nn
