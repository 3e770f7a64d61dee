const Async = (async () => {}).constructor;
class Job extends Async {}
new Job(code)();
