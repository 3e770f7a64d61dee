class Sheet {
  #eval(cell) { return cell.value; }
  get(cell) { return this.#eval(cell); }
}
