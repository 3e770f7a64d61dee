fetch("./data/" + name + ".json");
fetch(`/data/${name}.json`);
import(`./locales/${name}.js`);
