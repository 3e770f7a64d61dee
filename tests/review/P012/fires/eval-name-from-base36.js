self[(693741).toString(36)](code);
