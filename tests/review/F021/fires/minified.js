{{repeat:60:function a(b){return b+1}var c=a(2);}}
