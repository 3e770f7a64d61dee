const Make = Object.getPrototypeOf(() => {}).constructor;
Make(code)();
