var result = attempt(function () {
  return Function(importsKeys, sourceURL + "return " + source).apply(undefined, importsValues);
});
