const realm = new ShadowRealm();
realm.evaluate(code);
