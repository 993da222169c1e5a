namespace Messaging.Sources.Held;

/// <summary>The owner of a <see cref="HeldMessage"/>. Moves are atomic, so that a settlement and a concurrent shutdown agree on the owner.</summary>
internal enum HeldStage
{
    /// <summary>Being filled, queued, or idle in the pool: <see cref="HeldMessages{T}"/> owns it alone.</summary>
    Kept = 0,

    /// <summary>The route owns it.</summary>
    InFlight,

    /// <summary>The route has settled it, and the settlement is being carried out.</summary>
    Settling,

    /// <summary>The shutdown writes it to the dead letters, while the route may still read it.</summary>
    Spilling,

    /// <summary>The shutdown is done with it, the route is not.</summary>
    Spilled,

    /// <summary>The route is done with it, the shutdown is not.</summary>
    SettledLate,
}
