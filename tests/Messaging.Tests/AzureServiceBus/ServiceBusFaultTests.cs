using System.Net.Sockets;
using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ServiceBusFaultTests
{
    [Theory]
    [InlineData(ServiceBusFailureReason.GeneralError, nameof(ServiceBusFaultKind.Other))]
    [InlineData(ServiceBusFailureReason.MessagingEntityNotFound, nameof(ServiceBusFaultKind.NotFound))]
    [InlineData(ServiceBusFailureReason.MessageLockLost, nameof(ServiceBusFaultKind.LockLost))]
    [InlineData(ServiceBusFailureReason.MessageNotFound, nameof(ServiceBusFaultKind.Gone))]
    [InlineData(ServiceBusFailureReason.MessageSizeExceeded, nameof(ServiceBusFaultKind.TooLarge))]
    [InlineData(ServiceBusFailureReason.MessagingEntityDisabled, nameof(ServiceBusFaultKind.Disabled))]
    [InlineData(ServiceBusFailureReason.QuotaExceeded, nameof(ServiceBusFaultKind.QuotaExceeded))]
    [InlineData(ServiceBusFailureReason.ServiceBusy, nameof(ServiceBusFaultKind.Transient))]
    [InlineData(ServiceBusFailureReason.ServiceTimeout, nameof(ServiceBusFaultKind.Transient))]
    [InlineData(ServiceBusFailureReason.ServiceCommunicationProblem, nameof(ServiceBusFaultKind.Transient))]
    [InlineData(ServiceBusFailureReason.SessionCannotBeLocked, nameof(ServiceBusFaultKind.Transient))]
    [InlineData(ServiceBusFailureReason.SessionLockLost, nameof(ServiceBusFaultKind.LockLost))]
    [InlineData(ServiceBusFailureReason.MessagingEntityAlreadyExists, nameof(ServiceBusFaultKind.Other))]
    [InlineData((ServiceBusFailureReason)4711, nameof(ServiceBusFaultKind.Other))]
    public void Of_EveryReason_HasItsMeaning(ServiceBusFailureReason reason, string expected)
    {
        ServiceBusFault fault = ServiceBusFault.Of(new ServiceBusException("words", reason));

        fault.Kind.ToString().ShouldBe(expected);
        fault.Message.ShouldStartWith("words");
    }

    [Fact]
    public void Of_UnknownReason_IsTransientWhereTheClientWouldRetry() =>
        ServiceBusFault.Of(new ServiceBusException(isTransient: true, "words")).Kind.ShouldBe(ServiceBusFaultKind.Transient);

    [Fact]
    public void Reasons_OfTheClient_AreAllTested() =>
        Enum.GetValues<ServiceBusFailureReason>().Length.ShouldBe(13, "A new reason needs a meaning, and a row above.");

    [Fact]
    public void Of_OtherExceptions_HaveTheirMeaning()
    {
        Kind(new UnauthorizedAccessException()).ShouldBe(ServiceBusFaultKind.Unauthorized);
        Kind(new AuthenticationFailedException("no identity")).ShouldBe(ServiceBusFaultKind.Unauthorized);
        Kind(new SocketException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new IOException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new TimeoutException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new TaskCanceledException()).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new InvalidOperationException("Can't create session when the connection is closing.")).ShouldBe(ServiceBusFaultKind.Transient);
        Kind(new InvalidOperationException("It is not possible for an entity that requires sessions to create a non-sessionful message receiver.")).ShouldBe(
            ServiceBusFaultKind.SessionsRequired);
        Kind(new InvalidOperationException("A sessionful message receiver cannot be created on an entity that does not require sessions.")).ShouldBe(
            ServiceBusFaultKind.NoSessions);
        Kind(new InvalidOperationException("not now")).ShouldBe(ServiceBusFaultKind.Other);
        Kind(new FormatException("the broker does not like it")).ShouldBe(ServiceBusFaultKind.Other);

        static ServiceBusFaultKind Kind(Exception exception) => ServiceBusFault.Of(exception).Kind;
    }

    [Fact]
    public void Of_LongOrHostileText_IsOneShortLine()
    {
        ServiceBusFault fault = ServiceBusFault.Of(new InvalidOperationException($"a\nb\u001b[31m{new string('x', 5_000)}"));

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
    public void Of_ExceptionOfTheConversion_IsUnreadable(Type type)
    {
        Exception exception = BusFaults.Thrown((Exception)Activator.CreateInstance(type)!);

        ServiceBusFault.Of(exception).Kind.ShouldBe(ServiceBusFaultKind.Unreadable);
    }

    [Theory]
    [InlineData("one\r\ntwo\n\nthree", "one two three")]
    [InlineData(
        "Unauthorized.\nFor troubleshooting information, see https://aka.ms/x.", "Unauthorized. For troubleshooting information, see https://aka.ms/x.")]
    [InlineData(
        "Name or service not known ErrorCode: System.Net.Sockets.SocketException (0xFFFDFFFF): Name or service not known\n   at "
            + "Microsoft.Azure.Amqp.ExceptionDispatcher.Throw(Exception exception)\n   at Microsoft.Azure.Amqp.AsyncResult.End[T](IAsyncResult "
            + "result).SocketErrorCode", "Name or service not known")]
    [InlineData("broken\n   at A.B()\n--- End of inner exception stack trace ---\n   at C.D()\nTrackingId: 7", "broken TrackingId: 7")]
    [InlineData("a\u0085b\u2028c", "a b c")]
    [InlineData("", "")]
    public void TextOf_SeveralLines_AreOneWithoutStackTraces(string text, string expected) =>
        ServiceBusFault.TextOf(new InvalidOperationException(text)).ShouldBe(expected);

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.NotFound), true)]
    [InlineData(nameof(ServiceBusFaultKind.Disabled), true)]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized), true)]
    [InlineData(nameof(ServiceBusFaultKind.SessionsRequired), true)]
    [InlineData(nameof(ServiceBusFaultKind.NoSessions), true)]
    [InlineData(nameof(ServiceBusFaultKind.Unreadable), false)]
    [InlineData(nameof(ServiceBusFaultKind.Transient), false)]
    [InlineData(nameof(ServiceBusFaultKind.LockLost), false)]
    [InlineData(nameof(ServiceBusFaultKind.QuotaExceeded), false)]
    public void IsRefusal_FaultsThatAnOperatorMustFix_IsTrue(string kind, bool expected) =>
        new ServiceBusFault(Enum.Parse<ServiceBusFaultKind>(kind), string.Empty).IsRefusal.ShouldBe(expected);

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized), "need the right Send on the entity", ExitCodes.NoPermission)]
    [InlineData(nameof(ServiceBusFaultKind.NotFound), "check Sources:ServiceBus:Queue", ExitCodes.Unavailable)]
    [InlineData(nameof(ServiceBusFaultKind.NoSessions), "set Sources:ServiceBus:Sessions to false", ExitCodes.Configuration)]
    [InlineData(nameof(ServiceBusFaultKind.Transient), "check its address in Sources:ServiceBus:ConnectionString", ExitCodes.Unavailable)]
    [InlineData(nameof(ServiceBusFaultKind.Other), "the call failed. the client's text", ExitCodes.Unavailable)]
    public void ToStartupException_EachKind_SaysWhatToDo(string kind, string advice, int exitCode)
    {
        StartupException exception =
            new ServiceBusFault(Enum.Parse<ServiceBusFaultKind>(kind), "the client's text").ToStartupException("orders", "the right Send");

        exception.Message.ShouldStartWith("Service Bus orders: ");
        exception.Message.ShouldContain(advice);
        exception.Message.ShouldEndWith("the client's text");
        exception.ExitCode.ShouldBe(exitCode);
    }

    [Fact]
    public void Cut_AtASurrogatePair_CutsBeforeIt()
    {
        string text = new string('x', DeadLetterText.MaxLength - 1) + "\ud83d\ude00";

        DeadLetterText.Cut(text).ShouldBe(text[..(DeadLetterText.MaxLength - 1)]);
        DeadLetterText.Cut(text[1..]).ShouldBe(text[1..^0][..DeadLetterText.MaxLength]);
        DeadLetterText.Cut("short").ShouldBe("short");
    }
}
