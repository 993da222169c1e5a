using System.Net.Sockets;
using Messaging.AzureServiceBus.Port;

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
        Kind(new InvalidOperationException("Can't create session when the connection is closing.")).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new InvalidOperationException("It is not possible for an entity that requires sessions to create a non-sessionful message receiver.")).ShouldBe(ServiceBusFaultKind.SessionsRequired);
        Kind(new InvalidOperationException("not now")).ShouldBe(ServiceBusFaultKind.Other);
        Kind(new FormatException("the broker does not like it")).ShouldBe(ServiceBusFaultKind.Other);

        static ServiceBusFaultKind Kind(Exception exception) => ServiceBusFaults.FromException(exception).Kind;
    }

    [Fact]
    public void Create_LongOrHostileText_IsOneShortLine()
    {
        ServiceBusFault fault = ServiceBusFaults.Create(ServiceBusFaultKind.Other, $"a\nb\u001b[31m{new string('x', 5_000)}");

        fault.Message.Length.ShouldBeInRange(100, 400);
        fault.Message.ShouldContain("[31mxxx");
        fault.Message.ShouldNotContain("\n");
        fault.Message.ShouldNotContain("\u001b");
    }

    [Theory]
    [InlineData(typeof(ArgumentNullException))]
    [InlineData(typeof(NotSupportedException))]
    [InlineData(typeof(InvalidCastException))]
    [InlineData(typeof(System.Runtime.Serialization.SerializationException))]
    public void FromException_OfTheLibrarysConversion_IsUnreadable(Type type)
    {
        Exception exception = Should.Throw(() => AmqpMessageConverter.Throw((Exception)Activator.CreateInstance(type)!), type);

        ServiceBusFaults.FromException(exception).Kind.ShouldBe(ServiceBusFaultKind.Unreadable);
    }

    [Theory]
    [InlineData("one\r\ntwo\n\nthree", "one two three")]
    [InlineData("Unauthorized.\nFor troubleshooting information, see https://aka.ms/x.", "Unauthorized. For troubleshooting information, see https://aka.ms/x.")]
    [InlineData("Name or service not known ErrorCode: System.Net.Sockets.SocketException (0xFFFDFFFF): Name or service not known\n   at Microsoft.Azure.Amqp.ExceptionDispatcher.Throw(Exception exception)\n   at Microsoft.Azure.Amqp.AsyncResult.End[T](IAsyncResult result).SocketErrorCode", "Name or service not known")]
    [InlineData("broken\n   at A.B()\n--- End of inner exception stack trace ---\n   at C.D()\nTrackingId: 7", "broken TrackingId: 7")]
    [InlineData("a\u0085b\u2028c", "a b c")]
    [InlineData("", "")]
    public void Create_SeveralLines_AreOneWithoutStackTraces(string text, string expected) =>
        ServiceBusFaults.Create(ServiceBusFaultKind.Other, text).Message.ShouldBe(expected);

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.NotFound), true)]
    [InlineData(nameof(ServiceBusFaultKind.Disabled), true)]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized), true)]
    [InlineData(nameof(ServiceBusFaultKind.SessionsRequired), true)]
    [InlineData(nameof(ServiceBusFaultKind.Unreadable), false)]
    [InlineData(nameof(ServiceBusFaultKind.Transient), false)]
    [InlineData(nameof(ServiceBusFaultKind.LockLost), false)]
    [InlineData(nameof(ServiceBusFaultKind.QuotaExceeded), false)]
    public void IsRefusal_FaultsThatAnOperatorMustFix_IsTrue(string kind, bool expected) =>
        new ServiceBusFault(Enum.Parse<ServiceBusFaultKind>(kind), string.Empty).IsRefusal.ShouldBe(expected);

    [Fact]
    public void CutDeadLetterText_AtASurrogatePair_CutsBeforeIt()
    {
        string text = new string('x', ServiceBusLimits.DeadLetterText - 1) + "\ud83d\ude00";

        ServiceBusLimits.CutDeadLetterText(text).ShouldBe(text[..(ServiceBusLimits.DeadLetterText - 1)]);
        ServiceBusLimits.CutDeadLetterText(text[1..]).ShouldBe(text[1..^0][..ServiceBusLimits.DeadLetterText]);
        ServiceBusLimits.CutDeadLetterText("short").ShouldBe("short");
    }

    /// <summary>Named as the library's class.</summary>
    private static class AmqpMessageConverter
    {
        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        public static void Throw(Exception exception) => throw exception;
    }
}
