const c = {}.toString.constructor;
c("return this")();
