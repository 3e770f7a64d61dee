window[String.raw`eval`](code);
