class Point {
  clone() { return new this.constructor(this.x, this.y); }
}
