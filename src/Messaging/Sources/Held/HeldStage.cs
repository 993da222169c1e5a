namespace Messaging.Sources.Held;

/// <summary>Who holds a <see cref="HeldMessage"/>. Moves are atomic, so that a settlement and a stop that meet decide which of them has it.</summary>
internal enum HeldStage
{
    /// <summary>Waits: to be filled, to be handed in, or idle in the pool. <see cref="HeldMessages{T}"/> has it alone.</summary>
    Kept = 0,

    /// <summary>The route has it.</summary>
    InFlight,

    /// <summary>The route has settled it; the settlement is being carried out.</summary>
    Settling,

    /// <summary>The stop writes it to the dead letters, while the route may still read it.</summary>
    Spilling,

    /// <summary>The stop is done with it and the route is not.</summary>
    Spilled,

    /// <summary>The route is done with it and the stop is not.</summary>
    SettledLate,
}
