list.push(1);
store.subscribe(render);
manager.push.subscribe("a");
