define( 'DB_PASSWORD', '{{rand:AZaz09:24:h22}}' );
