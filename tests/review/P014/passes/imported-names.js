import { indexedDB, Notification } from "./fake.js";
indexedDB.open("a");
new Notification("a");
