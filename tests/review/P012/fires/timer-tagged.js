setTimeout`run\x28\x29`;
