using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;

namespace Proof.Simulation;

/// <summary>A source with a <see cref="Defect"/>, between the real source and the route.</summary>
internal sealed class PlantedSource : IMessageSource, IMessageIntake, ISlotOwner
{
    private readonly IMessageSource _source;
    private readonly Defect _defect;
    private IMessageIntake? _intake;
    private int _reservations;

    private PlantedSource(IMessageSource source, Defect defect)
    {
        _source = source;
        _defect = defect;
    }

    public string? Problem => _source.Problem;

    public static IMessageSource Wrap(IMessageSource source, Defect defect) =>
        defect is Defect.ReceiveAfterStop or Defect.LeakSlot or Defect.LoseWakeUp ? new PlantedSource(source, defect) : source;

    public Task CheckAsync(CancellationToken cancellationToken) => _source.CheckAsync(cancellationToken);

    public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        _intake = intake;
        return _source.ReceiveAsync(this, _defect == Defect.ReceiveAfterStop ? CancellationToken.None : stopReceiving);
    }

    public Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) => _source.DrainAsync(intake, stopDraining);

    public Task CloseAsync(CancellationToken cancellationToken) => _source.CloseAsync(cancellationToken);

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    public async ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        SlotLease reserved = await _intake!.ReserveAsync(min, max, cancellationToken);
        if (_defect == Defect.LoseWakeUp && ++_reservations % 20 == 0)
        {
            reserved.Dispose();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }

        return new SlotLease(this, reserved.Count);
    }

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        IntakeAnswer answer = _intake!.TryReserve(out slot);
        slot = answer == IntakeAnswer.Reserved ? new SlotLease(this, 1) : default;
        return answer;
    }

    public void Release(int slots)
    {
        if (_defect != Defect.LeakSlot)
        {
            ((ISlotOwner)_intake!).Release(slots);
        }
    }

    public void Accept(ReadOnlySpan<ReceivedMessage> messages) => ((ISlotOwner)_intake!).Accept(messages);
}
