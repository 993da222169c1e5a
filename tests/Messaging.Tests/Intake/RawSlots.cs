using Quayside.Messaging.Intake;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Intake;

/// <summary>Slots without their lease: the tests of the intake use and release them by number.</summary>
internal static class RawSlots
{
    public static async ValueTask<int> ReserveSlotsAsync(this MessageIntake intake, int min, int max, CancellationToken cancellationToken) =>
        (await intake.ReserveAsync(min, max, cancellationToken)).Count;

    public static IntakeAnswer TryReserve(this MessageIntake intake) => intake.TryReserve(out _);
}
