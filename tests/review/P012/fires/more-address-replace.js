window.location.replace("JaVaScRiPt:run()");
