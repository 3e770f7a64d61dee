const made = bodies.map(Function);
