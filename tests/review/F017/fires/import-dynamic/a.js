const load = () => import("./chunk-4f3a.js");
load();
