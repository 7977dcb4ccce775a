//! The one integration-test binary: behaviour across rooms, on real stores, over real sockets.

mod architecture;
