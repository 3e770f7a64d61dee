((_) => _).constructor.call(null, code)();
