using System.Net.Sockets;
using Messaging.ServiceBus.Port;

namespace Worker.Tests.ServiceBus.Port;

public sealed class ServiceBusFaultsTests
{
    [Theory]
    [InlineData("GeneralError", false, nameof(ServiceBusFaultKind.Other))]
    [InlineData("GeneralError", true, nameof(ServiceBusFaultKind.Transient))]
    [InlineData("MessagingEntityNotFound", false, nameof(ServiceBusFaultKind.NotFound))]
    [InlineData("MessageLockLost", false, nameof(ServiceBusFaultKind.LockLost))]
    [InlineData("MessageNotFound", false, nameof(ServiceBusFaultKind.Gone))]
    [InlineData("MessageSizeExceeded", false, nameof(ServiceBusFaultKind.TooLarge))]
    [InlineData("MessagingEntityDisabled", false, nameof(ServiceBusFaultKind.Disabled))]
    [InlineData("QuotaExceeded", false, nameof(ServiceBusFaultKind.QuotaExceeded))]
    [InlineData("ServiceBusy", true, nameof(ServiceBusFaultKind.Transient))]
    [InlineData("ServiceTimeout", true, nameof(ServiceBusFaultKind.Transient))]
    [InlineData("ServiceCommunicationProblem", true, nameof(ServiceBusFaultKind.Transient))]
    [InlineData("SessionCannotBeLocked", false, nameof(ServiceBusFaultKind.Other))]
    [InlineData("SessionLockLost", false, nameof(ServiceBusFaultKind.LockLost))]
    [InlineData("MessagingEntityAlreadyExists", false, nameof(ServiceBusFaultKind.Other))]
    [InlineData("WhatComesNext", true, nameof(ServiceBusFaultKind.Transient))]
    [InlineData("WhatComesNext", false, nameof(ServiceBusFaultKind.Other))]
    public void FromReason_EveryReason_HasItsMeaning(string reason, bool isTransient, string expected) =>
        ServiceBusFaults.FromReason(reason, isTransient, "words").ShouldBe(new ServiceBusFault(Enum.Parse<ServiceBusFaultKind>(expected), "words"));

    [Fact]
    public void FromException_OtherExceptions_HaveTheirMeaning()
    {
        Kind(new UnauthorizedAccessException()).ShouldBe(ServiceBusFaultKind.Unauthorized);
        Kind(new SocketException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new IOException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new TimeoutException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new TaskCanceledException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new InvalidOperationException("the entity requires sessions")).ShouldBe(ServiceBusFaultKind.Other);

        static ServiceBusFaultKind Kind(Exception exception) => ServiceBusFaults.FromException(exception).Kind;
    }

    [Fact]
    public void Create_LongOrHostileText_IsOneShortLine()
    {
        ServiceBusFault fault = ServiceBusFaults.Create(ServiceBusFaultKind.Other, $"a\nb\u001b[31m{new string('x', 5_000)}");

        fault.Message.Length.ShouldBeLessThan(400);
        fault.Message.ShouldNotContain("\n");
        fault.Message.ShouldNotContain("\u001b");
    }

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.NotFound), true)]
    [InlineData(nameof(ServiceBusFaultKind.Disabled), true)]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized), true)]
    [InlineData(nameof(ServiceBusFaultKind.Transient), false)]
    [InlineData(nameof(ServiceBusFaultKind.LockLost), false)]
    [InlineData(nameof(ServiceBusFaultKind.QuotaExceeded), false)]
    public void IsRefusal_FaultsThatAnOperatorMustFix_IsTrue(string kind, bool expected) =>
        new ServiceBusFault(Enum.Parse<ServiceBusFaultKind>(kind), string.Empty).IsRefusal.ShouldBe(expected);

    [Theory]
    [InlineData("Receive", nameof(PumpActivity.Receive))]
    [InlineData("RenewLock", nameof(PumpActivity.RenewLock))]
    [InlineData("Complete", nameof(PumpActivity.Settle))]
    [InlineData("Abandon", nameof(PumpActivity.Settle))]
    [InlineData("ProcessMessageCallback", nameof(PumpActivity.Handle))]
    [InlineData("AcceptSession", nameof(PumpActivity.Receive))]
    [InlineData("WhatComesNext", nameof(PumpActivity.Receive))]
    public void PumpActivity_EveryErrorSource_HasItsMeaning(string errorSource, string expected) =>
        PumpActivities.Parse(errorSource).ShouldBe(Enum.Parse<PumpActivity>(expected));

    [Fact]
    public void CutDeadLetterText_AtASurrogatePair_CutsBeforeIt()
    {
        string text = new string('x', ServiceBusLimits.DeadLetterText - 1) + "\ud83d\ude00";

        ServiceBusLimits.CutDeadLetterText(text).ShouldBe(text[..(ServiceBusLimits.DeadLetterText - 1)]);
        ServiceBusLimits.CutDeadLetterText(text[1..]).ShouldBe(text[1..^0][..ServiceBusLimits.DeadLetterText]);
        ServiceBusLimits.CutDeadLetterText("short").ShouldBe("short");
    }
}
