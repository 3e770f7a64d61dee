const node = make("script");
node.src = "data:text/javascript,run()";
