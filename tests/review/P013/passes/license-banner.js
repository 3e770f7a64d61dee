/*! board v1.0.0 | MIT | https://github.example/acme/board */
start();
