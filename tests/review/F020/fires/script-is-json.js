{ "name": "board", "version": "1.0.0" }
