await context.audioWorklet.addModule(URL.createObjectURL(new Blob([processor])));
