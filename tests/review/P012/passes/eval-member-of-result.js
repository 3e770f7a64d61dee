const parser = makeParser();
parser().eval(text);
