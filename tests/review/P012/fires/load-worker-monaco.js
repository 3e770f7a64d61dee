self.MonacoEnvironment = {
  getWorkerUrl: () => `data:text/javascript;charset=utf-8,${encodeURIComponent("importScripts('https://cdn.example/vs/base/worker.js')")}`,
};
new Worker(`data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`);
