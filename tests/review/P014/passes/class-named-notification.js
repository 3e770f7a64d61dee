class Notification {
  constructor(text) { this.text = text; }
}
new Notification("a");
