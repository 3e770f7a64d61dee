location.assign("java" + "script:" + code);
