setTimeout(isFast ? draw : drawSlowly, 10);
setTimeout(work && work.run, 10);
