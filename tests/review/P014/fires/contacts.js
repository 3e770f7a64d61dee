navigator.contacts.select(["name"]);
