namespace Messaging.CloudFront.Gzip;

/// <summary>The outcome of one read.</summary>
/// <param name="Count">Bytes read; 0 without a fault is the verified end of the last member.</param>
/// <param name="Fault">What is wrong with the object; then nothing more can be read.</param>
internal readonly record struct GzipRead(int Count, LogFault Fault = LogFault.None);
