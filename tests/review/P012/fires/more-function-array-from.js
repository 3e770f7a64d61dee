Array.from([code], Function);
