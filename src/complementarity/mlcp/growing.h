// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Vectors and matrices of varying size that keep their memory. Eigen's own give theirs back whenever the size changes,
// also to a smaller one; a step whose number of contacts changes would allocate each time.
//
// Such a thing is an Eigen::Map of memory that it owns and that only grows: it can be used in any expression and be
// passed as Eigen::Ref. Passed as `const Eigen::VectorXd&` it would be copied.
#pragma once

#include <Eigen/Core>
#include <new>
#include <vector>

namespace ricochet {

template <class Plain>
class Growing : public Eigen::Map<Plain> {
 public:
  using Base = Eigen::Map<Plain>;
  using Index = Eigen::Index;

  Growing() : Base(Empty()) {}
  Growing(const Growing& other) : Base(Empty()) { *this = other; }
  ~Growing() = default;

  Growing& operator=(const Growing& other) {
    if (this == &other) return *this;
    return *this = static_cast<const Eigen::DenseBase<Base>&>(other);
  }
  template <class Other>
  Growing& operator=(const Eigen::DenseBase<Other>& other) {
    resize(other.rows(), other.cols());
    Base::operator=(other.derived());
    return *this;
  }

  /// Values are arbitrary afterwards unless the size is as before.
  void resize(Index rows, Index columns) {
    if (rows == this->rows() && columns == this->cols()) return;
    if (static_cast<size_t>(rows * columns) > memory_.size()) memory_.resize(rows * columns);
    // Eigen's way to let a Map look elsewhere.
    if constexpr (Plain::IsVectorAtCompileTime) {
      new (static_cast<Base*>(this)) Base(memory_.data(), rows * columns);
    } else {
      new (static_cast<Base*>(this)) Base(memory_.data(), rows, columns);
    }
  }
  void resize(Index size) { resize(size, 1); }

  using Base::setZero;
  void setZero(Index size) {
    resize(size);
    Base::setZero();
  }
  void setZero(Index rows, Index columns) {
    resize(rows, columns);
    Base::setZero();
  }

 private:
  static Base Empty() {
    if constexpr (Plain::IsVectorAtCompileTime) {
      return Base(nullptr, 0);
    } else {
      return Base(nullptr, 0, 0);
    }
  }
  std::vector<double> memory_;
};

using GrowingVector = Growing<Eigen::VectorXd>;
using GrowingMatrix = Growing<Eigen::MatrixXd>;

}  // namespace ricochet
