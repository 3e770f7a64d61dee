window["medieval".slice(4)](code);
