Function`alert(1)```;
