namespace Messaging.Aws.Sqs.Wire;

/// <summary>What is wrong with a received body.</summary>
[Flags]
internal enum SqsMessageFlags
{
    /// <summary>Nothing: the body is valid UTF-8 and, where it was checked, the one that was sent.</summary>
    None = 0,

    /// <summary>The body is not UTF-8: lone surrogates (as WTF-8) or bytes the service should not have sent. Poison; no retry will mend it.</summary>
    InvalidText = 1,

    /// <summary>The body does not match the service's MD5: damaged on the way. Another receive may bring it whole.</summary>
    Md5Mismatch = 2,
}
