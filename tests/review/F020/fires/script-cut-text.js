const a = "hello
