using Azure.Messaging.ServiceBus;
using Quayside.Messaging.AzureServiceBus;

namespace Messaging.Tests.AzureServiceBus;

public sealed class InWorkMessagesTests
{
    private readonly HashSet<MessageKey> _done = [];
    private readonly InWorkMessages _messages;
    private readonly ServiceBusDelivery _first = Deliver();
    private readonly ServiceBusDelivery _second = Deliver();
    private Action _duringCheck = () => { };

    public InWorkMessagesTests() => _messages = new InWorkMessages(key =>
    {
        bool isDone = _done.Contains(key);
        _duringCheck();
        return isDone;
    });

    [Fact]
    public void AddOrFind_FirstLeavesWhileTheSecondIsChecked_IsHandledOnce()
    {
        _messages.AddOrFind(_first, out _).ShouldBeSameAs(_first);
        _duringCheck = Leave;

        ServiceBusDelivery found = _messages.AddOrFind(_second, out bool wasStored);

        (found == _first || wasStored).ShouldBeTrue("The second delivery would be handled as a new message.");
    }

    [Fact]
    public void AddOrFind_FirstHasLeft_IsKnownAsStored()
    {
        _messages.AddOrFind(_first, out _).ShouldBeSameAs(_first);
        Leave();

        _messages.AddOrFind(_second, out bool wasStored).ShouldBeSameAs(_second);

        wasStored.ShouldBeTrue();
    }

    [Fact]
    public void AddOrFind_FirstWasAbandoned_IsHandledAgain()
    {
        _messages.AddOrFind(_first, out bool wasStored).ShouldBeSameAs(_first);
        wasStored.ShouldBeFalse();
        _messages.Remove(_first);

        _messages.AddOrFind(_second, out wasStored).ShouldBeSameAs(_second);

        wasStored.ShouldBeFalse();
    }

    // As a call does with a stored message.
    private void Leave()
    {
        _done.Add(_first.Key);
        _messages.Remove(_first);
    }

    private static ServiceBusDelivery Deliver()
    {
        ReceiveRun run = new(null!, default, null!, calls: 1, null!, null!, null!, null!, new ManualTimeProvider(), new ServiceBusSourceOptions());
        return new ServiceBusDelivery(
            ServiceBusModelFactory.ServiceBusReceivedMessage(sequenceNumber: 7, enqueuedTime: DateTimeOffset.UnixEpoch), run, call: 0);
    }
}
