a = {{repeat:10100:[}}{{repeat:10100:]}};
